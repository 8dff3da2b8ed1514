// Builds the project if there is no build or a source is newer than it, so that `npm start` works on its own.
import { buildIfStale } from './stale.mjs';

buildIfStale();
