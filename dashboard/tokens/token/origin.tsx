import type { Token } from '../../../client/index.ts';
import { Link } from '../../router/link.tsx';

type Origin = Pick<Token, 'name' | 'createdBy' | 'parentId'>;

/** Whether a token is neither of a sign-in nor of an exchange. The others live for hours, and cannot be rotated. */
export const isStanding = ({ createdBy, parentId }: Origin) => createdBy === null && parentId === null;

/**
 * The issuer whose assertion was exchanged for a token. Such a token is named by its subject, cut to 100 characters, so
 * a person of whom an issuer tells nothing else looks the same.
 */
export function issuerOf({ createdBy }: Origin): URL | null {
  if (!createdBy || createdBy.name !== [...createdBy.subject.trim()].slice(0, 100).join('').trim())
    return null;
  // The issuer of people who signed in at a host application is no URL.
  return URL.canParse(createdBy.issuer) ? new URL(createdBy.issuer) : null;
}

/** Says where a token comes from if it is not a standing one. */
export function IssuedBy({ token }: { token: Origin }) {
  const { name, createdBy, parentId } = token;
  if (parentId !== null) return <Link to={`tokens/${parentId}`}>Issued by {name}</Link>;
  const issuer = issuerOf(token);
  return <>{issuer ? `Issued by ${issuer.host}` : createdBy && `Signed in: ${createdBy.name}`}</>;
}
