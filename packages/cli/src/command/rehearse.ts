import { resolve } from 'node:path'

import { replayTranscript, transcripts } from '@mintmark/testkit'
import { Command, Option } from 'commander'

import { CommandError, UsageError } from '../command-error.ts'
import { readTrimmedFile } from '../config/key-ring.ts'
import type { Io } from '../io.ts'
import { printable, type ShowOptions } from '../show.ts'

interface RehearseOptions extends ShowOptions {
  readonly profile: keyof typeof transcripts
  readonly scimSecretFile?: string
}

/** Creates `mintmark idp rehearse`, which sends the requests of a directory to any SCIM server. */
export const rehearseCommand = (io: Io): Command =>
  new Command('rehearse')
    .description(
      'sends the requests of Okta or Entra to a SCIM server, and checks the responses; it creates, changes and removes users and groups with random names, so use a provider for tests',
    )
    .argument('<url>', 'the SCIM Tenant URL')
    .addOption(new Option('--profile <name>', 'the directory').choices(Object.keys(transcripts)).makeOptionMandatory())
    .option('--scim-secret-file <file>', 'the Secret Token; or set MINTMARK_SCIM_SECRET')
    .option('--json', 'print JSON')
    .action((url: string, options: RehearseOptions) => rehearse(url, options, io))

async function rehearse(url: string, { profile, scimSecretFile, json }: RehearseOptions, io: Io): Promise<void> {
  const secret =
    scimSecretFile === undefined
      ? io.env['MINTMARK_SCIM_SECRET']
      : await readTrimmedFile(resolve(io.cwd, scimSecretFile))
  if (!secret) throw new UsageError('No Secret Token is given. Use --scim-secret-file FILE or MINTMARK_SCIM_SECRET.')
  if (!URL.canParse(url)) throw new UsageError(`This is not a URL: ${url}`)
  const target = { baseUrl: url, authorization: `Bearer ${secret}`, fetch: io.fetch }
  const { steps } = await replay(transcripts[profile], target).catch((error: unknown) => {
    if (error instanceof CommandError) throw error
    throw new CommandError(`${url} cannot be reached: ${networkReasonOf(error)}`, { cause: error })
  })

  const failed = steps.filter(({ problems }) => problems.length > 0)
  if (json === true) io.out(JSON.stringify({ url, profile, passed: failed.length === 0, steps }, undefined, 2))
  else
    for (const { id, title, status, problems } of steps) {
      io.out(`${problems.length === 0 ? 'ok  ' : 'fail'}  ${id}  ${title} (${status})`)
      for (const problem of problems) io.out(`      → ${printable(problem)}`)
    }
  if (failed.length > 0)
    throw new CommandError(
      `${failed.length} of ${steps.length} steps failed. A provider of Mintmark needs the tolerance profile ${profile}: mintmark idp register ID --profile ${profile}`,
    )
  if (json !== true) io.out(`All ${steps.length} steps passed.`)
}

type Target = Parameters<typeof replayTranscript>[1] & { readonly fetch: typeof fetch }

/** Replays the transcript, unless the URL or the Secret Token is wrong: then every step would fail. */
async function replay(transcript: Parameters<typeof replayTranscript>[0], target: Target) {
  const { baseUrl, authorization, fetch } = target
  const init = { headers: { Authorization: authorization }, redirect: 'manual' } as const
  const response = await fetch(`${baseUrl.replace(/\/+$/, '')}/Users?count=1`, init)
  await response.body?.cancel()
  const isScim = /json/i.test(response.headers.get('content-type') ?? '')
  const advice = connectionAdvice.get(response.status) ?? (isScim ? undefined : completeUrl)
  if (advice !== undefined) throw new CommandError(`${baseUrl} responds with ${response.status}: ${advice}`)
  return replayTranscript(transcript, target)
}

const completeUrl = 'this is not a SCIM server. Copy all of the SCIM Tenant URL.'

/** What to do about the statuses of a connection that is not set up. */
const connectionAdvice: ReadonlyMap<number, string> = new Map([
  [401, 'the Secret Token is wrong, expired or revoked. Give it without the word Bearer.'],
  [403, 'the Secret Token belongs to another provider, or may not be used here. Copy the URL and the token together.'],
  [404, completeUrl],
])

/** Returns the code of the deepest cause, such as ECONNREFUSED: the message of `fetch` says only that it failed. */
function networkReasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause !== undefined) return networkReasonOf(error.cause)
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}
