/** The version of this system, as package.json has it. */
export const version = '0.1.0';
