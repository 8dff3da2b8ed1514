import { render } from 'preact';
import { App } from './app.tsx';

const show = () => render(<App />, document.body);

// A relative address would change with the page's address.
const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]')!;
icon.href = new URL(icon.href).href;
show();
// The browser may cache the page for back navigation; the cached page must not contain any data.
addEventListener('pagehide', () => render(null, document.body));
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) show();
});
