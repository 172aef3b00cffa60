import { categories } from './define.js';
import type { ToolContract } from './define.js';

export const coreToolset = 'core';
/** The toolsets that may bound a token: the categories of tools, and `core`. */
export const toolsets = [...categories, coreToolset] as const;
export type Toolset = (typeof toolsets)[number];

export const isInToolset = (toolset: string, { category, core }: Pick<ToolContract, 'category' | 'core'>): boolean =>
  toolset === category || (toolset === coreToolset && core === true);

/** Whether a token that is bound to toolsets may call a tool. @param bound null or absent for a token without a bound */
export const isWithinToolsets = (
  bound: readonly string[] | null | undefined,
  contract: Pick<ToolContract, 'category' | 'core'>,
): boolean => bound == null || bound.some((toolset) => isInToolset(toolset, contract));
