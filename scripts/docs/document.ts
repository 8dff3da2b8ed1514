/** The parts of an OpenAPI document that the page shows. */
export interface Document {
  info: { title: string; version: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    headers: Record<string, { description: string; schema: Schema }>;
    responses: Record<string, Response>;
  };
}

export interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: object[];
  parameters: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { $ref?: string } & Partial<Response>>;
}

export interface Parameter {
  name: string;
  in: string;
  required: boolean;
  description: string;
  schema: Schema;
}

export interface Response {
  description: string;
  headers: Record<string, object>;
  content?: Record<string, { schema: Schema; example?: unknown }>;
}

export interface Schema {
  $ref?: string;
  anyOf?: Schema[];
  type?: string | string[];
  format?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: string[];
  default?: unknown;
  examples?: unknown[];
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  uniqueItems?: boolean;
  maxProperties?: number;
  propertyNames?: Schema;
}

/** The name at the end of a reference. */
export const nameIn = (ref: string) => ref.slice(ref.lastIndexOf('/') + 1);
