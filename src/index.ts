export { UserManagementModule } from './user-management.module';
export type { AsyncUserManagementOptions, UserManagementOptions } from './options';
export type { RequestRecord } from './http/access-log';

// For the routes of the application.
export { AnyToken, Scopes } from './auth/scopes.decorator';
export { CurrentToken, OrganizationId } from './auth/caller.decorator';
export { TokenGuard } from './auth/token.guard';
export type { CallerToken } from './auth/authenticated-request';
export type { Scope } from './auth/scopes';

// The same rules as over HTTP: what a caller may not send is a BadRequestException here.
export { UsersService } from './users/users.service';
export { UserSearch } from './users/user-search';
export { TokensService } from './tokens/tokens.service';
export { OrganizationsService } from './organizations/organizations.service';
export type { CreateUserDto, ListUsersDto, SearchUsersDto, UpdateUserDto } from './users/users.dto';
export type { CreateTokenDto, ListTokensDto } from './tokens/tokens.dto';
export type { Page } from './http/paginate';

export { Organization } from './organizations/organization.entity';
export { Token } from './tokens/token.entity';
export { User } from './users/user.entity';
export { migrations } from '../migrations';
export { runMigrations } from './run-migrations';
