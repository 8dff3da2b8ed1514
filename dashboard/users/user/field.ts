import type { ComponentChildren, InputHTMLAttributes } from 'preact';
import type { User } from '../../../client/index.ts';

/** Shows a field at its place among others. */
interface Shown {
  place: number;
  value(user: User): ComponentChildren;
}

/** How the dashboard shows a field of a user. */
export interface Field {
  title: string;
  /** In the list of users; null if it is not there. */
  column: (Shown & { class: string }) | null;
  /** Among the facts on the page of a user. One whose value is null is left out. */
  fact: Shown | null;
}

/** A field that people can change. */
export interface WritableField<Value> {
  /** In the form. */
  input: {
    place: number;
    control: 'text' | 'role' | 'check' | 'metadata';
    label: string;
    /** Whether it shares a row with another one. */
    isHalf?: boolean;
    hint?: string;
    attributes?: InputHTMLAttributes<HTMLInputElement>;
    /** The value of a new user. If it is null, an empty text means null. */
    initial: Value;
  };
}
