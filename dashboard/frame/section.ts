import type { ComponentType } from 'preact';
import type { Scope } from '../session/may.tsx';
import type { IconName } from '../ui/icon.tsx';

/** Loads the file of a page when it is opened. `id` is the id in the address, or empty. */
export type LoadPage = () => Promise<{ default: ComponentType<{ id: string }> }>;

/** A part of the dashboard that the navigation links to. */
export interface Section {
  /** Its address below the dashboard's. */
  path: string;
  title: string;
  icon: IconName;
  /** The scope that a token needs to open it. */
  scope: Scope;
  page: LoadPage;
  /** The page of one of its items, whose id follows the path and a slash. */
  item?: LoadPage;
  /** Pages at a name in place of an id, such as `users/import`. */
  named?: Record<string, LoadPage>;
}
