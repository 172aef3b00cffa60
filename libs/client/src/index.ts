export { TidingsClient } from './client.js';
export type { CallOptions, Confirm, TidingsOptions, ToolData, ToolInput, ToolName } from './client.js';
export { ConfirmationRequired, TidingsError } from './errors.js';
export type { ConfirmationQuestion, Issue } from './errors.js';
export type { Tools } from './tools.js';
