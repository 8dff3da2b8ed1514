import { SetMetadata, type Type } from '@nestjs/common';

/** What the OpenAPI document says about the answers of a route, beyond what follows from its signature. */
export interface AnswerFacts {
  /** Headers of a success, beside those of every response. */
  headers?: string[];
  /** Statuses of failures that only this route has. */
  failures?: number[];
  /** The class of the body, when the method returns it as text. */
  view?: Type;
  /** The media type of the body, if it is not JSON. */
  mediaType?: string;
}

export const ANSWERS = 'ums:answers';

export const Answers = (facts: AnswerFacts) => SetMetadata(ANSWERS, facts);
