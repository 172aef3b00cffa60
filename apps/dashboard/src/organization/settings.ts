import type { ToolData } from '#client';

export type Organization = ToolData<'get_organization'>['organization'];

export const settingKeys = [
  'name',
  'timezone',
  'address',
  'currency',
  'doubleOptIn',
  'trackOpens',
  'trackClicks',
  'sendDelaySeconds',
  'approvals',
  'approvalHours',
  'tokenDaysMax',
  'requireSecondFactor',
] as const satisfies readonly (keyof Organization)[];
export type SettingKey = (typeof settingKeys)[number];
export type Settings = Pick<Organization, SettingKey>;

export const changesOf = (draft: Partial<Settings>, base: Settings): Partial<Settings> =>
  Object.fromEntries(
    settingKeys.filter((key) => key in draft && draft[key] !== base[key]).map((key) => [key, draft[key]]),
  );
