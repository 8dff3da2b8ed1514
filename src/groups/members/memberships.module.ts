import { Global, Module } from '@nestjs/common';
import { Memberships } from '../../users/user/user-query';
import { GroupMemberships } from './members-of-group';

/** Gives `users/` the members of groups. Global, because `users/` knows no groups. */
@Global()
@Module({ providers: [{ provide: Memberships, useClass: GroupMemberships }], exports: [Memberships] })
export class MembershipsModule {}
