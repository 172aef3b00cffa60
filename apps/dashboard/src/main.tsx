import './no-eval.js';
import './theme.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.js';
import { applyScheme } from './app/scheme.js';
import { languageKey } from './messages/text.js';

const show = () =>
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );

applyScheme();
// English is built in: only speakers of others wait for their texts.
if ((localStorage.getItem(languageKey) ?? navigator.language).startsWith('en')) show();
else
  void import('./messages/language.js')
    .then(({ applyLanguage }) => applyLanguage())
    .catch(() => undefined)
    .then(show);
