export { Markup, markup } from './markup.js';
