import { useEffect, useState } from 'preact/hooks';
import { baseUrl } from '../router/address.ts';
import { Link } from '../router/link.tsx';
import { usePlace } from '../router/place.ts';
import { useSession } from '../session/session.ts';
import { useStore } from '../store.ts';
import { formatCount, formatTime } from '../ui/format.ts';
import { Mark } from '../ui/mark.tsx';
import { useResource } from '../ui/use-resource.ts';
import { Icon } from '../ui/icon.tsx';
import type { Section } from './section.ts';
import { chooseTheme, type Theme, theme, THEMES } from './theme.ts';

const TITLE = 'User Management';

/** Ctrl, except on Apple's systems. */
const SHORTCUT = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘K' : 'Ctrl K';

/** The name of the organization, the links to every page, and who is signed in. */
export function Sidebar({ sections, onPalette }: { sections: Section[]; onPalette(): void }) {
  const { token, end } = useSession();
  const [section] = usePlace().path.split('/');
  const organization = useOrganization();
  return (
    <header class="sidebar">
      <p class="organization">
        <Mark />
        <strong class="clip" title={organization}>
          {organization ?? TITLE}
        </strong>
      </p>
      <button type="button" class="search-button" aria-keyshortcuts="Control+K Meta+K" onClick={onPalette}>
        <Icon name="search" />
        <span class="clip">Search …</span>
        <kbd aria-hidden="true">{SHORTCUT}</kbd>
      </button>
      <nav aria-label="Sections">
        {sections.map(({ path, title, icon }) => (
          <Link key={path} to={path} aria-current={section === path ? 'page' : undefined}>
            <Icon name={icon} />
            {title}
          </Link>
        ))}
      </nav>
      <div class="foot">
        <RateLimitMeter />
        <a href={`${baseUrl}/docs`} target="_blank" rel="noreferrer">
          <Icon name="docs" />
          API reference
          <Icon name="external" />
        </a>
        <ThemeSelect />
        <div class="session">
          <span class="who clip" title={`Signed in with the token ${token.hint}`}>
            <span class="unseen">Signed in {token.createdBy ? 'as' : 'with'} </span>
            {token.createdBy?.name ?? token.name}
          </span>
          <button type="button" class="small" onClick={() => end('signed-out')}>
            Sign out
          </button>
        </div>
      </div>
    </header>
  );
}

/** The name of the organization, once it is known. */
function useOrganization(): string | undefined {
  const { client, token } = useSession();
  // Fails silently: the page works without the name.
  const { value } = useResource(token.id, (signal) => client.statistics({ signal }));
  const name = value?.organization.name;
  useEffect(() => {
    document.title = name === undefined ? TITLE : `${name} · ${TITLE}`;
    return () => void (document.title = TITLE);
  }, [name]);
  return name;
}

function ThemeSelect() {
  const chosen = useStore(theme);
  return (
    <label class="theme">
      <span>Theme</span>
      <select value={chosen} onChange={(event) => chooseTheme(event.currentTarget.value as Theme)}>
        {Object.entries(THEMES).map(([name, title]) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Warns when less than a quarter of the requests of the rate limit are left. */
function RateLimitMeter() {
  const rateLimit = useStore(useSession().rateLimit);
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    if (!rateLimit) return;
    setIsOver(false);
    const timer = setTimeout(() => setIsOver(true), rateLimit.resetsAt - Date.now());
    return () => clearTimeout(timer);
  }, [rateLimit]);
  if (!rateLimit || isOver || rateLimit.remaining >= rateLimit.limit / 4) return null;

  const { limit, remaining, resetsAt } = rateLimit;
  return (
    <span class="limit" title={`Resets at ${formatTime(resetsAt)}`}>
      <b>{formatCount(remaining)}</b> of {formatCount(limit)} requests left
    </span>
  );
}
