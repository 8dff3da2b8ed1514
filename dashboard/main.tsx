import { render } from 'preact';
import { App } from './app.tsx';

const show = () => render(<App />, document.body);

show();
// The browser may cache the page for back navigation; the cached page must not contain any data.
addEventListener('pagehide', () => render(null, document.body));
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) show();
});
