import { callSetUp } from './call-setup.ts'
import { startWorker } from './start-worker.ts'

// Runs the Worker on this machine. With the first start, creates a user, a client and a directory.

const { env } = process
const issuer = env['MINTMARK_ISSUER'] ?? ''
const worker = await startWorker({ issuer })
worker.once('exit', (code) => process.exit(code ?? 0))

console.log(`${await callSetUp(issuer, env['SETUP_KEY'] ?? '')}
${issuer} is running. Press Ctrl-C to stop it.
Try it:   ${issuer}/try?key=${env['TRY_KEY']} signs you in to a client
Tokens:   ${issuer}/try?show=token shows the tokens that the client gets`)
