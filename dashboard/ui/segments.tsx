import { useId } from 'preact/hooks';

interface Props<Value extends string> {
  /** What is chosen, for screen readers. */
  legend: string;
  /** The values with their displayed names. */
  options: Record<Value, string>;
  value: NoInfer<Value>;
  onValue(value: NoInfer<Value>): void;
}

/** A choice between a few values that are all visible. */
export function Segments<Value extends string>({ legend, options, value, onValue }: Props<Value>) {
  const name = useId();
  return (
    <fieldset class="segments">
      <legend class="unseen">{legend}</legend>
      {(Object.entries(options) as [Value, string][]).map(([option, title]) => (
        <label key={option}>
          <input type="radio" name={name} checked={value === option} onChange={() => onValue(option)} />
          <span>{title}</span>
        </label>
      ))}
    </fieldset>
  );
}
