/** Custom fields that an organization may have, unless an operator allows it more. */
export const customFieldsMax = 300;
/** Bytes (UTF-8) that the values of all custom fields of one subscriber may have. */
export const customValueBytesMax = 65_536;

/** Exports of an organization that wait or are written at a time. */
export const openExportsMax = 10;

/** Imports of an organization that are not DONE, FAILED or CANCELED. */
export const openImportsMax = 3;
export const importBytesMax = 1024 ** 3;
/** Rows of the file of one import, without its header. */
export const importJobRowsMax = 10_000_000;
export const importColumnsMax = 200;
/** Bytes that one request of an upload hands on at a time. */
export const importPieceBytes = 1024 ** 2;

/** Days that one simulation of a workflow covers. */
export const simulationDaysMax = 31;
/** Simulations of an organization that are RUNNING at a time. */
export const simulationsMax = 2;

export const customFieldRule = `An organization has at most ${customFieldsMax} custom fields unless its operator allows more. A subscriber has at most ${customValueBytesMax / 1024} kB of custom values (UTF-8).`;
