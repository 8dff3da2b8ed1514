import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';

/** Formats errors in the application's own way. */
@Catch(HttpException)
export class FailureFilter implements ExceptionFilter {
  catch(error: HttpException, host: ArgumentsHost): void {
    host.switchToHttp().getResponse().status(error.getStatus()).json({ failed: error.getStatus() });
  }
}
