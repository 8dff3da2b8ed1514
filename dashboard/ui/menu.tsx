import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from './icon.tsx';

export interface MenuItem {
  title: string;
  danger?: boolean;
  /** A box that is ticked, with which the menu stays open, or one of several choices; else an action. */
  kind?: 'checkbox' | 'radio';
  checked?: boolean;
  onChoose(): void;
}

interface Props {
  /** The accessible name of the button: “Actions for Ada”. */
  label: string;
  /** The text of the button; three dots if it is left out, or the icon. */
  text?: string;
  icon?: IconName;
  items: MenuItem[];
}

/** A button that opens a menu of actions. The keys are those of the menu button pattern of the ARIA practices. */
export function Menu({ label, text, icon, items }: Props) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const [opened, setOpened] = useState<'first' | 'last'>();
  const entries = () => [...menu.current!.querySelectorAll<HTMLElement>('[role^=menuitem]')];
  useLayoutEffect(() => {
    if (opened)
      entries()
        .at(opened === 'first' ? 0 : -1)!
        .focus();
  }, [opened]);

  const close = (returnsFocus: boolean) => {
    setOpened(undefined);
    if (returnsFocus) button.current!.focus();
  };
  const move = (event: KeyboardEvent) => {
    const all = entries();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to: Record<string, number> = {
      ArrowDown: (at + 1) % all.length,
      ArrowUp: (at + all.length - 1) % all.length,
      Home: 0,
      End: all.length - 1,
    };
    const typed = event.key.length === 1 ? event.key.toLowerCase() : undefined;
    const beginning = [...all.slice(at + 1), ...all.slice(0, at + 1)].find(
      (entry) => typed !== undefined && entry.textContent.toLowerCase().startsWith(typed),
    );
    const next = all[to[event.key]] ?? beginning;
    if (next) next.focus();
    else if (event.key === 'Escape') close(true);
    else if (event.key === 'Tab')
      return close(true); // continues from the button
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <span
      class="menu"
      onFocusOut={(event) => {
        const to = event.relatedTarget as Node | null;
        if (opened && !event.currentTarget.contains(to)) close(false);
      }}
    >
      <button
        type="button"
        class={text ? 'small caret' : icon ? 'small' : 'plain small'}
        ref={button}
        aria-label={text ? undefined : label}
        title={icon && label}
        aria-haspopup="menu"
        aria-expanded={opened !== undefined}
        aria-controls={opened ? id : undefined}
        onClick={() => setOpened(opened ? undefined : 'first')}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
          event.preventDefault();
          setOpened(event.key === 'ArrowDown' ? 'first' : 'last');
        }}
      >
        {icon && <Icon name={icon} />}
        {text}
      </button>
      {opened && (
        <div role="menu" id={id} ref={menu} aria-label={label} onKeyDown={move}>
          {items.map(({ title, danger, kind, checked, onChoose }) => (
            <button
              key={title}
              type="button"
              role={`menuitem${kind ?? ''}`}
              aria-checked={kind && checked}
              tabIndex={-1}
              class={danger ? 'danger' : undefined}
              onClick={() => {
                if (kind !== 'checkbox') close(true);
                onChoose();
              }}
            >
              {checked && <Icon name="check" />}
              {title}
            </button>
          ))}
        </div>
      )}
    </span>
  );
}
