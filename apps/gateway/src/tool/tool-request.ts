import { z } from 'zod';
import type { ToolContract } from '#contracts';
import { parseInput, ToolError } from '#tool-call';
import { checkForm } from '../http/json-body.js';

/** 1 MB, and 5 MB for parameters that carry rows or content. */
const bodyBytesMax = 1_048_576;
const bulkyBytesMax = 5 * 1_048_576;
const bulkyParameters = ['subscribers', 'rows', 'content', 'operations', 'html', 'tiptap', 'definition', 'steps'];

/** The largest body in bytes for a call with these parameters. */
export function bodyLimit({ shape }: ToolContract['input']): number {
  return bulkyParameters.some((name) => Object.hasOwn(shape, name)) ? bulkyBytesMax : bodyBytesMax;
}

export interface ToolRequest {
  args: Record<string, unknown>;
  confirmationCode: number | null;
}

const confirmationCode = z
  .union([
    z.int().min(10_000).max(99_999),
    z
      .string()
      .regex(/^[1-9]\d{4}$/)
      .transform(Number),
    z.null(),
  ])
  .optional();

/** Separates the code from a body and validates the rest against the contract. */
export function readToolRequest(contract: ToolContract, body: unknown): ToolRequest {
  const { value, issues } = checkForm(body);
  if (value === null || typeof value !== 'object' || !Object.hasOwn(value, 'confirmationCode')) {
    return { args: parseInput(contract.input, value, issues), confirmationCode: null };
  }
  const { confirmationCode: given, ...rest } = value as Record<string, unknown>;
  const code = confirmationCode.safeParse(given);
  if (!code.success)
    issues.push({ path: ['confirmationCode'], message: 'must be the five-digit code that was answered' });
  return { args: parseInput(contract.input, rest, issues), confirmationCode: code.data ?? null };
}

export function callIdOf(header: string | string[] | undefined): string | null {
  if (header === undefined) return null;
  if (typeof header === 'string' && /^[\x21-\x7e]{1,255}$/.test(header)) return `key:${header}`;
  throw new ToolError('IDEMPOTENCY_KEY_INVALID', {});
}
