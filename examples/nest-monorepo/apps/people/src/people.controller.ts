import { Body, Controller, Get, Post } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Length } from 'class-validator';
import { Repository } from 'typeorm';
import { Person } from './person.entity.js';

export class NewPerson {
  @Length(2, 20)
  login: string;
}

@Controller('users')
export class PeopleController {
  constructor(@InjectRepository(Person) private readonly people: Repository<Person>) {}

  @Get()
  list() {
    return this.people.find();
  }

  @Post()
  async create(@Body() { login }: NewPerson) {
    await this.people.insert({ login });
    return { login };
  }
}
