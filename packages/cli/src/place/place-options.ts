import type { Command } from 'commander'

/** Where a command works, as its flags say it. */
export interface ConfigOptions {
  readonly config?: string
  readonly issuer?: string
  readonly sqlite?: string
  readonly postgres?: string
}

/** Adds the flags that say where a command works. */
export const withConfig = (command: Command): Command =>
  withDatabase(command).option('--issuer <url>', 'the address of the authorization server')

/** Adds those that say which database it is. */
export const withDatabase = (command: Command): Command =>
  command
    .option('--config <file>', 'default: mintmark.config.json, if it is there')
    .option('--sqlite <file>', 'the SQLite database')
    .option('--postgres <url>', 'the PostgreSQL database; the password comes from PGPASSWORD')
