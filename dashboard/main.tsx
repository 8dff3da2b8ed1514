import { render } from 'preact';
import { App } from './app.tsx';

const show = () => render(<App />, document.body);

show();
// A browser may keep a page that was left, to show it again on the way back: what it knew must not be in it.
addEventListener('pagehide', () => render(null, document.body));
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) show();
});
