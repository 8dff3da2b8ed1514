import type pg from 'pg';
import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver';

/** The connections of a data source. */
export const poolOf = ({ driver }: DataSource): pg.Pool => (driver as PostgresDriver).master;
