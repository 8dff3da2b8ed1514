import type { ComponentChildren } from 'preact';

/** Terms with their values. A fact whose value is null or false is left out. */
export const Facts = ({ facts }: { facts: [title: string, value: ComponentChildren][] }) => (
  <dl class="facts">
    {facts
      .filter(([, value]) => value !== null && value !== false)
      .map(([title, value]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
);
