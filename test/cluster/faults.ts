import { setTimeout as pause } from 'node:timers/promises'

import type { Ledger } from './ledger.ts'
import type { Attempt } from './requester.ts'
import { until } from './until.ts'

/** Something that breaks, and how it is repaired. */
export interface Fault {
  readonly name: string
  /** Breaks it. @returns what repairs it. */
  inject(): Promise<() => Promise<void>>
  /** How long it stays broken, in seconds. */
  readonly seconds: number
}

/** What clients saw from the beginning of a fault until the cluster was whole again. */
export interface FaultResult {
  readonly name: string
  /** The longest time between two confirmed writes, in seconds. */
  readonly withoutWrites: number
  /** Until the cluster was whole again after the repair, in seconds. */
  readonly untilWhole: number
  readonly requests: number
  /** Responses with 503, and connections that broke. */
  readonly refused: number
  readonly signedOut: number
  readonly lost: number
  readonly doubled: number
  readonly survivors: number
}

export interface FaultPlan {
  readonly ledger: Ledger
  readonly attempts: readonly Attempt[]
  readonly untilWhole: () => Promise<void>
  /** The writes that the cluster confirms. */
  readonly writes: readonly Attempt['kind'][]
  readonly log: (line: string) => void
}

/** Injects a fault, repairs it, and waits until the cluster is whole and clients have written again. */
export async function runFault(
  fault: Fault,
  { ledger, attempts, untilWhole, writes, log }: FaultPlan,
): Promise<FaultResult> {
  const before = countsOf(ledger)
  const [first, start] = [attempts.length, performance.now()]
  log(`${fault.name}: begins`)
  const repair = await fault.inject()
  await pause(fault.seconds * 1000)
  await repair()
  const repaired = performance.now()
  await untilWhole()
  const whole = performance.now()
  const isWrite = ({ kind, status }: Attempt): boolean =>
    writes.includes(kind) && (status === 200 || status === 201 || status === 303)
  const isWritten = (): boolean => attempts.slice(first).some((attempt) => isWrite(attempt) && attempt.at > whole)
  await until('clients have written again', () => Promise.resolve(isWritten()))

  const seen = attempts.slice(first)
  const after = countsOf(ledger)
  const result: FaultResult = {
    name: fault.name,
    withoutWrites: longestGap([start, ...seen.filter(isWrite).map(({ at }) => at)]) / 1000,
    untilWhole: (whole - repaired) / 1000,
    requests: seen.length,
    refused: seen.filter(({ status }) => status === 503 || status === 'none').length,
    signedOut: after.signedOut - before.signedOut,
    lost: after.lost - before.lost,
    doubled: after.doubled - before.doubled,
    survivors: after.survivors - before.survivors,
  }
  log(`${fault.name}: ${sentenceOf(result)}`)
  return result
}

const longestGap = (times: readonly number[]): number =>
  Math.max(0, ...times.map((time, index) => time - (times[index - 1] ?? time)))

const countsOf = ({ lost, doubled, survivors, signedOut }: Ledger) => ({
  lost: lost.length,
  doubled: doubled.length,
  survivors: survivors.length,
  signedOut,
})

const sentenceOf = ({ withoutWrites, requests, refused, lost, doubled, survivors }: FaultResult): string =>
  `${withoutWrites.toFixed(1)} s without a confirmed write, ${refused} of ${requests} attempts refused; ` +
  `lost ${lost}, doubled ${doubled}, survivors ${survivors}`

/** The results as a table in Markdown. */
export function tableOf(results: readonly FaultResult[]): string {
  const rows = results.map((result) => [
    result.name,
    `${result.withoutWrites.toFixed(1)} s`,
    `${result.untilWhole.toFixed(0)} s`,
    `${result.refused} of ${result.requests}`,
    result.signedOut,
    result.lost,
    result.doubled,
    result.survivors,
  ])
  return [
    [
      'fault',
      'longest time without a confirmed write',
      'whole again after the repair',
      'attempts refused',
      'signed out',
      'lost',
      'doubled',
      'survivors',
    ],
    ['---', '---:', '---:', '---:', '---:', '---:', '---:', '---:'],
    ...rows,
  ]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}
