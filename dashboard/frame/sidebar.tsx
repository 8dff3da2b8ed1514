import { useEffect, useRef, useState } from 'preact/hooks';
import { docsUrl } from '../router/address.ts';
import { Link } from '../router/link.tsx';
import { usePlace } from '../router/place.ts';
import { useSession } from '../session/session.ts';
import { useStore } from '../store.ts';
import { Icon } from '../ui/icon.tsx';
import { Mark } from '../ui/mark.tsx';
import { Segments } from '../ui/segments.tsx';
import { PRODUCT, serviceTitle } from '../ui/title.ts';
import { RateLimitMeter } from './rate-limit-meter.tsx';
import { ReloadNote } from './reload-note.tsx';
import type { Section } from './section.ts';
import { theme, THEMES } from './theme.ts';
import { useOrganization } from './use-organization.ts';

/** Ctrl, except on Apple's systems. */
const SHORTCUT = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘K' : 'Ctrl K';

const THEME_ICONS = { system: 'system', light: 'sun', dark: 'moon' } as const;

/** The name of the organization, the links to every page, and who is signed in. A narrow window has a menu of these. */
export function Sidebar({ sections, onPalette }: { sections: Section[]; onPalette(): void }) {
  const { path } = usePlace();
  const [section] = path.split('/');
  const organization = useOrganization();
  const [isOpen, setIsOpen] = useState(false);
  const menuButton = useRef<HTMLButtonElement>(null);
  useEffect(() => setIsOpen(false), [path]);
  const closeOnEscape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !isOpen) return;
    setIsOpen(false);
    menuButton.current?.focus();
  };
  return (
    <header class={isOpen ? 'sidebar open' : 'sidebar'} onKeyDown={closeOnEscape}>
      <p class="organization">
        <Mark />
        <span class="clip">
          <strong title={organization}>{organization ?? PRODUCT}</strong>
          {serviceTitle && <span class="sub quiet clip">{serviceTitle}</span>}
        </span>
      </p>
      <button type="button" class="search-button" aria-keyshortcuts="Control+K Meta+K" onClick={onPalette}>
        <Icon name="search" />
        <span class="clip">Search …</span>
        <kbd aria-hidden="true">{SHORTCUT}</kbd>
      </button>
      <button
        type="button"
        class="menu-button plain"
        ref={menuButton}
        aria-label="Menu"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        <Icon name={isOpen ? 'close' : 'menu'} />
      </button>
      <nav aria-label="Sections">
        {sections.map(({ path, title, icon }) => (
          <Link key={path} to={path} aria-current={section === path ? 'page' : undefined}>
            <Icon name={icon} />
            {title}
          </Link>
        ))}
      </nav>
      <Foot />
    </header>
  );
}

function Foot() {
  const { token, end } = useSession();
  const chosen = useStore(theme);
  return (
    <div class="foot">
      <RateLimitMeter />
      {docsUrl && (
        <a href={docsUrl} target="_blank" rel="noreferrer">
          <Icon name="docs" />
          API reference
        </a>
      )}
      <Segments legend="Theme" options={THEMES} icons={THEME_ICONS} value={chosen} onValue={theme.choose} />
      <ReloadNote />
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
  );
}
