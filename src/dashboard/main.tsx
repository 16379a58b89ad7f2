import 'uplot/dist/uPlot.min.css';
import './style/base.css';
import './style/parts.css';
import './style/shell.css';
import { render } from 'preact';
import { BASE_PATH } from './api/request.ts';
import { App } from './shell/app.tsx';

const place = document.getElementById('app')!;

if (location.pathname === `${BASE_PATH}/docs`)
  void import('./pages/docs.tsx').then(({ DocsPage }) => render(<DocsPage />, place));
else render(<App />, place);
