import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../platform/database/database';
import { rethrowViolation } from '../platform/database/errors';
import { isId, newId } from '../platform/database/id';
import { query, sql } from '../platform/database/sql';
import { Bulkhead } from '../platform/fairness/bulkhead';
import { LIMITS } from '../platform/fairness/limits';
import { recordEvents } from '../events/record-events';
import { type By, callerOf } from '../platform/http/caller';
import { invalidInput } from '../platform/http/fault';
import { always, type Precondition } from '../platform/http/input/entity-tags';
import { validatedInput } from '../platform/http/input/validate';
import type { Page } from '../platform/pages/paginate';
import { Group, GROUP_COLUMNS, type GroupRow } from './group/group.entity';
import { groupCreated, groupDeleted, groupUpdated, recordMembers } from './group/group.events';
import { type GroupOfUser, groupsOfUser, type MemberRecord, membersOfGroups } from './members/first-members';
import { pageOfGroups } from './group/group-query';
import { GROUP_VIOLATIONS, groupNotFound, insertGroup, lockGroup, updateGroup } from './group/group-rows';
import { type ChangedGroup, type GroupRecord, groupRecord } from './group/group.serializer';
import {
  changedFieldsOf,
  fieldsSetBy,
  type DirectoryStep,
  memberChangesOf,
  strangers,
} from './group/group-steps';
import { CreateGroupDto, ListGroupsDto, UpdateGroupDto } from './group/group.dto';
import { changeMembers, deleteMembers, lockUsers, SHOWN_MEMBERS } from './members/member-rows';

/** A change of more members takes the share for heavy work. */
const MANY_CHANGES = 1_000;

/** The groups of a directory. Only a directory writes them, and they grant nothing. */
@Injectable()
export class GroupsService {
  /** One write of a group at a time, so that a group with many does not hold all connections of its organization. */
  private readonly writes = new Bulkhead(LIMITS.oneAtATime);

  /** @internal Nest constructs it. */
  constructor(private readonly database: Database) {}

  /** The same service in an open transaction of the application, with the promises of `UsersService.within()`. */
  within(manager: EntityManager): GroupsService {
    return new GroupsService(this.database.within(manager));
  }

  /** By name. */
  async list(by: By, input: Partial<ListGroupsDto> = {}): Promise<Page<GroupRecord>> {
    const { organizationId } = callerOf(by);
    const { limit, cursor, ...filter } = validatedInput(ListGroupsDto, input);
    const { data, nextCursor } = await this.database.read(organizationId, (manager) =>
      pageOfGroups(manager, { organizationId, filter }, { limit, cursor }),
    );
    return { data: data.map(groupRecord), nextCursor };
  }

  /** Throws a 404 if it does not exist. Its members are not read. */
  async get(by: By, id: string): Promise<GroupRecord> {
    const { organizationId } = callerOf(by);
    if (!isId('grp', id)) throw groupNotFound();
    const [group] = await this.database.read(organizationId, (manager) =>
      query<GroupRow>(
        manager,
        sql`SELECT ${GROUP_COLUMNS} FROM ${Group} WHERE organization_id = ${organizationId} AND id = ${id}`,
      ),
    );
    if (!group) throw groupNotFound();
    return groupRecord(group);
  }

  /** The first members of each of these groups, by id. `UsersService.list()` with `group` lists all of them. */
  membersOf(
    by: By,
    groupIds: readonly string[],
    limit = SHOWN_MEMBERS,
  ): Promise<Map<string, MemberRecord[]>> {
    const { organizationId } = callerOf(by);
    return this.database.read(organizationId, (manager) =>
      membersOfGroups(manager, organizationId, groupIds, limit),
    );
  }

  /** The first groups of a user, by id. `list()` with `user` lists all of them. */
  async groupsOf(by: By, userId: string): Promise<GroupOfUser[]> {
    const { organizationId } = callerOf(by);
    const [{ groups }] = await this.database.read(organizationId, (manager) =>
      query<{ groups: GroupOfUser[] | null }>(
        manager,
        sql`SELECT ${groupsOfUser(organizationId, sql`${userId}`)} AS groups`,
      ),
    );
    return groups ?? [];
  }

  /** Throws a 400 that names the positions of members that are not users, and a 409 if the name is taken. */
  async create(by: By, input: CreateGroupDto, members: readonly string[] = []): Promise<GroupRecord> {
    const caller = callerOf(by);
    const { organizationId } = caller;
    const { displayName, externalId = null } = validatedInput(CreateGroupDto, input);
    const changes = memberChangesOf([{ kind: 'add', members }]);
    return this.database
      .write(
        organizationId,
        async (manager) => {
          const users = await lockUsers(manager, organizationId, changes.present);
          refuse(strangers(members, changes, users).map((i) => `members.${i}`));
          const fields = { organizationId, id: newId('grp'), displayName, externalId };
          const group = await insertGroup(manager, { ...fields, memberCount: users.size });
          const { added } = await changeMembers(manager, group, changes);
          await recordEvents(manager, groupCreated(caller, group));
          await recordMembers(manager, caller, 'group.member_added', group, added);
          return groupRecord(group);
        },
        changes.present.size > MANY_CHANGES ? 'heavy' : 'write',
      )
      .catch(rethrowViolation(GROUP_VIOLATIONS));
  }

  /**
   * Applies all steps, or none if it throws: a 404, a 400 that names the positions of members who are not users, a 412
   * if the precondition refuses the group's version, and a 409 if the name is taken. A member that one step adds and a
   * later one removes is no change. `replaceShown` is for directories.
   */
  async change(
    by: By,
    id: string,
    steps: readonly DirectoryStep[],
    precondition: Precondition = always,
  ): Promise<ChangedGroup> {
    const caller = callerOf(by);
    const fields = validatedInput(UpdateGroupDto, fieldsSetBy(steps));
    const members = memberChangesOf(steps);
    const isHeavy = members.isReplaced || members.present.size + members.absent.size > MANY_CHANGES;
    return this.write(caller.organizationId, id, isHeavy ? 'heavy' : 'write', async (manager) => {
      const users = await lockUsers(manager, caller.organizationId, members.present);
      const before = await lockGroup(manager, caller.organizationId, id);
      refuse(
        steps.flatMap((step, i) =>
          'members' in step && step.kind !== 'remove'
            ? strangers(step.members, members, users).map((j) => `steps.${i}.members.${j}`)
            : [],
        ),
      );
      precondition(before.version);
      const changes = changedFieldsOf(before, fields);
      const { added, removed, difference } = await changeMembers(manager, before, members);
      const movedMembers = added.length + removed.length;
      if (!changes && movedMembers === 0) return { ...groupRecord(before), movedMembers };
      const after = await updateGroup(manager, before, changes ?? {}, difference);
      if (changes) await recordEvents(manager, groupUpdated(caller, before, after, changes));
      await recordMembers(manager, caller, 'group.member_removed', after, removed);
      await recordMembers(manager, caller, 'group.member_added', after, added);
      return { ...groupRecord(after), movedMembers };
    });
  }

  /** Throws a 404, and a 412 if the precondition refuses the group's version. */
  async delete(by: By, id: string, precondition: Precondition = always): Promise<void> {
    const caller = callerOf(by);
    const { organizationId } = caller;
    await this.write(organizationId, id, 'heavy', async (manager) => {
      const group = await lockGroup(manager, organizationId, id);
      precondition(group.version);
      await manager.delete(Group, { organizationId, id });
      await deleteMembers(manager, group);
      await recordEvents(manager, groupDeleted(caller, group));
    });
  }

  private write<Result>(
    organizationId: string,
    id: string,
    cost: 'write' | 'heavy',
    work: (manager: EntityManager) => Promise<Result>,
  ): Promise<Result> {
    return this.writes.run(`${organizationId} ${id}`, () =>
      this.database.write(organizationId, work, cost).catch(rethrowViolation(GROUP_VIOLATIONS)),
    );
  }
}

function refuse(fields: string[]): void {
  if (fields.length === 0) return;
  const message = 'must be the id of a user';
  throw invalidInput(fields.map((field) => ({ field, code: 'invalid', message })));
}
