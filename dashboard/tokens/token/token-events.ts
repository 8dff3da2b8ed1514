import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { NewToken } from '../../../client/index.ts';

/** Events of tokens that pages report to the frame. */
export interface TokenEvents {
  /** Shows the value of a new token, also of one that replaces another, until it has been copied. */
  onCreated(token: NewToken): void;
  /** A token was changed, rotated or revoked. */
  onChanged(): void;
}

export const TokenEventsContext = createContext<TokenEvents | undefined>(undefined);

export const useTokenEvents = () => useContext(TokenEventsContext)!;
