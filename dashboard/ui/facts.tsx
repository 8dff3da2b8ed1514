import type { ComponentChildren } from 'preact';

/** Facts as terms and values. */
export const Facts = ({ children }: { children: ComponentChildren }) => <dl class="facts">{children}</dl>;

export const Fact = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <div>
    <dt>{title}</dt>
    <dd>{children}</dd>
  </div>
);
