export { UserManagementModule } from './entry/embedding/user-management.module';
export type { AsyncUserManagementOptions, HostUser, UserManagementOptions } from './entry/embedding/options';
export type { HostPerson, HostSignIn } from './sign-in/sign-in.options';
export { type HealthResult, UserManagementHealth } from './entry/embedding/health';
export type { RequestRecord } from './platform/http/access-log';

// For the routes of a host application.
export { CurrentCaller, CurrentToken, OrganizationId } from './platform/http/caller';
export { CurrentUser } from './entry/embedding/current-user';
export { AnyToken, Scopes, TokenGuard } from './entry/embedding/token.guard';
export type { CallerToken } from './platform/http/caller';
export type { Scope } from './platform/http/scopes';

// The services apply the same rules as the API: invalid input throws a BadRequestException.
export { UsersService } from './users/users.service';
export { DeletedUsersService } from './users/deleted/deleted-users.service';
export { UserSearch } from './users/search/user-search.service';
export { GroupsService } from './groups/groups.service';
export { TokensService } from './tokens/tokens.service';
export { OrganizationsService } from './organizations/organizations.service';
export { WebhooksService } from './webhooks/webhooks.service';
export type { By, Caller } from './platform/http/caller';
export type { BatchOf } from './users/deleted/batch/batch-delete.dto';
export type { GroupStep } from './groups/group/group-steps';
export type { Page } from './platform/pages/paginate';

// Classes, for the routes of a host. The services validate an instance, too.
export { CreateUserDto, MergeUserDto, UpdateUserDto } from './users/user/user.dto';
export { ListUsersDto } from './users/query/users-query.dto';
export { SearchUsersDto } from './users/search/user-search.dto';
export { BatchDeleteDto, BatchRestoreDto } from './users/deleted/batch/batch-delete.dto';
export { ListDeletedUsersDto, RestoreUserDto } from './users/deleted/deleted-users.dto';
export { CreateGroupDto, ListGroupsDto } from './groups/group/group.dto';
export {
  CreateTokenDto,
  ExchangeTokenDto,
  ListTokensDto,
  RotateTokenDto,
  UpdateTokenDto,
} from './tokens/token/token.dto';
export {
  CreateWebhookDto,
  ListWebhooksDto,
  RotateSecretDto,
  UpdateWebhookDto,
} from './webhooks/webhook/webhook.dto';

// The parameter of a subscriber.
export type { EventView as EventRecord } from './events/event/event.view';
export type { EventType } from './events/event/event.types';
export type { Subscriber } from './events/subscribers/subscriber';

export type {
  BatchDeleteAnswerView as BatchDeleteAnswer,
  BatchRestoreAnswerView as BatchRestoreAnswer,
} from './users/deleted/batch/batch-delete.view';
export type { DeletedUserRecord } from './users/deleted/deleted-user.view';
export type { UserRecord } from './users/user/user.view';
export type { ChangedGroup, GroupRecord } from './groups/group/group.serializer';
export type { OrganizationView as OrganizationRecord } from './organizations/organization.view';
export type { TokenView as TokenRecord } from './tokens/token/token.view';
export type { WebhookView as WebhookRecord } from './webhooks/webhook/webhook.view';
export { runMigrations } from './entry/embedding/guest';
