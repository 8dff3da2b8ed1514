import type { Request } from 'express';

/** The requested path, including every prefix that a host has mounted the service at. */
export const pathOf = ({ baseUrl, path }: Request): string => `${baseUrl}${path}`;

/** The path of a resource that this POST created. It extends the requested path. */
export const locationOf = (request: Request, id: string): string => `${pathOf(request)}/${id}`;
