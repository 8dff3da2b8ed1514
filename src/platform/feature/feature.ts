import type { Type } from '@nestjs/common';
import type { PersonalTable } from './personal-data';

/** The facts about a feature that are needed outside its folder. Its module has them, and nothing else repeats them. */
export interface Feature {
  /** Its tables, in the order in which the rows of an organization are deleted. */
  entities?: readonly Function[];
  /** Whether these rows go before those of other features, or after them. Default: in the order of `FEATURES`. */
  deletion?: 'first' | 'last';
  /** Its tables with data of users. They decide what a purge erases. */
  personal: readonly PersonalTable[];
  /** The prefixes of its ids, by the kind of thing. */
  ids?: Readonly<Record<string, string>>;
  /** Its sections in the API's document. */
  tags?: readonly Tag[];
}

export interface Tag {
  name: string;
  description: string;
  /** The kind of thing whose id is in its paths. */
  idOf?: string;
}

export type FeatureModule = Type & { feature: Feature };
