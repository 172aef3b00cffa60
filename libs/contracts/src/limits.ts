/** Custom fields that an organization may have, unless an operator allows it more. */
export const customFieldsMax = 300;
/** Bytes (UTF-8) that the values of all custom fields of one subscriber may have. */
export const customValueBytesMax = 65_536;

/** Exports of an organization that wait or are written at a time. */
export const openExportsMax = 10;

/** The two limits in words, for contracts of calls that write custom fields. */
export const customFieldRule = `An organization has at most ${customFieldsMax} custom fields unless its operator allows more. A subscriber has at most ${customValueBytesMax / 1024} kB of custom values (UTF-8).`;
