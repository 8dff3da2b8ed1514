import { useEffect, useRef } from 'preact/hooks';
import { focusHeading } from '../ui/dialog.tsx';
import { SearchForm } from '../ui/search-field.tsx';
import type { ChangeFilter, Filter } from './filter.ts';
import { KindField } from './kind-field.tsx';
import type { Named } from './kinds.ts';
import { PeriodField } from './period-field.tsx';
import { PersonPicker } from './person-picker.tsx';
import { TokenField } from './token-field.tsx';

interface Props {
  filter: Filter;
  /** The name of what has this id. */
  nameOf(id: string): string;
  /** Whether it was picked here, rather than in an address. */
  isPicked(id: string): boolean;
  onPicked(picked: Named): void;
  onFilter: ChangeFilter;
}

/** The filters, in one form, and whom or what the list is about. */
export function ActivityTools({ filter, nameOf, isPicked, onPicked, onFilter }: Props) {
  const { kind, actor, target, period, from, to } = filter;
  return (
    <>
      <SearchForm isTerse>
        <PersonPicker
          onPick={(user) => {
            onPicked(user);
            onFilter({ target: user.id });
          }}
        />
        <KindField value={kind ?? ''} onValue={(kind) => onFilter({ kind: kind || undefined })} />
        <TokenField
          chosen={actor === undefined ? undefined : { id: actor, name: nameOf(actor) }}
          onChosen={(token) => {
            if (token) onPicked(token);
            onFilter({ actor: token?.id });
          }}
        />
        <PeriodField period={period} from={from} to={to} onChange={onFilter} />
      </SearchForm>
      {target !== undefined && (
        <Target
          key={target}
          name={nameOf(target)}
          takesFocus={isPicked(target)}
          onClear={() => {
            onFilter({ target: undefined });
            focusHeading();
          }}
        />
      )}
    </>
  );
}

/** Takes the focus if the button that made it appear goes. */
function Target({ name, takesFocus, onClear }: { name: string; takesFocus: boolean; onClear(): void }) {
  const ref = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (takesFocus) ref.current?.focus();
  }, []);
  return (
    <p class="line">
      <span>
        Only what happened to <bdi class="name">{name}</bdi>
      </span>
      <button type="button" class="small" ref={ref} onClick={onClear}>
        Show everything
      </button>
    </p>
  );
}
