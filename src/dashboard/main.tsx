import 'uplot/dist/uPlot.min.css';
import './style/base.css';
import './style/parts.css';
import './style/shell.css';
import { render } from 'preact';
import { App } from './shell/app.tsx';

render(<App />, document.getElementById('app')!);
