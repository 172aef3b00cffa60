import './no-eval.js';
import './theme.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.js';
import { applyScheme } from './app/scheme.js';
import { applyLanguage } from './messages/language.js';

applyScheme();
void applyLanguage().then(() =>
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <App />
    </StrictMode>,
  ),
);
