export { csvRecord, guarded, guardedPhone } from './csv.js';
