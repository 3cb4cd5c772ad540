import { InvalidArgumentError } from 'commander'

/**
 * Reads a length of time as an operator writes it: `45s`, `30m`, `24h`, `7d`. In seconds.
 * @throws InvalidArgumentError which Commander reports with the name of the flag.
 */
export function parseDuration(text: string): number {
  const match = /^(\d{1,6})([smhd])$/.exec(text)
  const unit = units[match?.[2] ?? '']
  if (match?.[1] === undefined || unit === undefined) throw new InvalidArgumentError('Write 45s, 30m, 24h or 7d.')
  return Number(match[1]) * unit
}

/** Reads a whole number of at least one. */
export function parseCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Write a whole number, 1 or more.')
  return Number(text)
}

/** A length of time in its largest unit that fits, rounded down: for people. */
export function durationText(duration: number): string {
  const [name, unit] = Object.entries(units).findLast(([, unit]) => duration >= unit) ?? ['s', 1]
  return `${Math.floor(duration / unit)}${name}`
}

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }
