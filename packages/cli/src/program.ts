import { Command } from 'commander'

import { clientCommand } from './command/client.ts'
import { doctorCommand } from './command/doctor.ts'
import { identityProviderCommand } from './command/identity-provider.ts'
import { initCommand } from './command/init.ts'
import { keysCommand } from './command/keys.ts'
import { migrateCommand } from './command/migrate.ts'
import { purgeCommand } from './command/purge.ts'
import { userCommand } from './command/user.ts'
import { workerCommand } from './doctor/racer.ts'
import type { Io } from './io.ts'

/** The commands, made anew for each run: Commander keeps in them what it has parsed. */
export function createProgram(io: Io): Command {
  const program = new Command('mintmark')
    .description('Administers a Mintmark authorization server through its database, and looks whether it is well.')
    .addHelpText('after', help)
  const commands = [
    initCommand(io),
    migrateCommand(io),
    clientCommand(io),
    identityProviderCommand(io),
    userCommand(io),
    keysCommand(io),
    purgeCommand(io),
    doctorCommand(io),
  ]
  for (const command of commands) program.addCommand(command)
  program.addCommand(workerCommand(io), { hidden: true })
  return quiet(program, io)
}

/** Has nothing end the process or write past `io`. */
function quiet(command: Command, io: Io): Command {
  for (const child of command.commands) quiet(child, io)
  return command.exitOverride().configureOutput({
    writeOut: trimmed(io.out),
    writeErr: trimmed(io.err),
    outputError: (text, write) => write(`mintmark: ${text}`),
  })
}

/** Commander ends what it writes with a line of its own. */
const trimmed = (write: (line: string) => void) => (text: string) => write(text.trimEnd())

const help = `
Where it works is said by --sqlite, --postgres and --issuer, by MINTMARK_SQLITE, MINTMARK_POSTGRES and MINTMARK_ISSUER, or by
mintmark.config.json (mintmark init). Secrets never stand in arguments, which everybody on the machine sees: PGPASSWORD,
MINTMARK_SEALING_KEY or MINTMARK_SEALING_KEY_FILE, MINTMARK_SCIM_SECRET.`
