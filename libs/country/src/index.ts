export { countryCodes, findCountryCode, listCountryCodes } from './country.js';
export type { CountryPart } from './country.js';
