import { useId } from 'preact/hooks';
import { Icon, type IconName } from './icon.tsx';

interface Props<Value extends string> {
  /** What is chosen, for screen readers. */
  legend: string;
  /** The values with their displayed names. */
  options: Record<Value, string>;
  value: NoInfer<Value>;
  onValue(value: NoInfer<Value>): void;
  /** Shown in place of the names, which screen readers and tooltips have. */
  icons?: Record<NoInfer<Value>, IconName>;
}

/** A choice between a few values that are all visible. */
export function Segments<Value extends string>({ legend, options, value, onValue, icons }: Props<Value>) {
  const name = useId();
  return (
    <fieldset class="segments">
      <legend class="unseen">{legend}</legend>
      {(Object.entries(options) as [Value, string][]).map(([option, title]) => (
        <label key={option} title={icons && title}>
          <input type="radio" name={name} checked={value === option} onChange={() => onValue(option)} />
          <span>
            {icons && <Icon name={icons[option]} />}
            <span class={icons && 'unseen'}>{title}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
