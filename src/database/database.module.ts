import { type DynamicModule, Global, Inject, Module, type Type } from '@nestjs/common';
import { getDataSourceToken, getRepositoryToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { OPTIONS, type ResolvedOptions } from '../options';
import type { Schema } from './data-source';
import { openGuest } from './guest';
import { migrate } from './migrate';

/** The data source that knows our tables. */
export const DATA_SOURCE = Symbol('user management data source');

export const InjectDatabase = () => Inject(DATA_SOURCE);

/** What `@InjectRepository(entity)` asks for, in this module alone. */
export const repositoryOf = (entity: Type) => ({
  provide: getRepositoryToken(entity),
  inject: [DATA_SOURCE],
  useFactory: (dataSource: DataSource) => dataSource.getRepository(entity),
});

/** Our tables on a data source of the application: the one of that name, or the default one. */
@Global()
@Module({})
export class DatabaseModule {
  static on(name: string | undefined, tables: Schema): DynamicModule {
    const provider = {
      provide: DATA_SOURCE,
      inject: [getDataSourceToken(name), OPTIONS],
      useFactory: async (host: DataSource, options: ResolvedOptions) => {
        const dataSource = await openGuest(host, tables, options.schema);
        if (options.migrate) await migrate(dataSource);
        return dataSource;
      },
    };
    return { module: DatabaseModule, providers: [provider], exports: [DATA_SOURCE] };
  }
}
