import type { DataSourceOptions } from 'typeorm';
import { Badge } from './badge.entity.js';
import { CreateBadges1790000000000 } from './create-badges.js';
import { Member } from './member.entity.js';
import { Person } from './person.entity.js';

export const database = {
  type: 'postgres',
  url: process.env.DATABASE_URL,
  entities: [Person, Member, Badge],
  migrations: [CreateBadges1790000000000],
  synchronize: true,
} satisfies DataSourceOptions;
