import { readFileSync, writeFileSync } from 'node:fs'

interface RunningProcess {
  readonly pid?: number | undefined
}

/** Linux: the greatest resident memory of a process since `forgetPeak`, in MiB. */
export const peakMebibytes = ({ pid }: RunningProcess): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

export const forgetPeak = ({ pid }: RunningProcess): void => writeFileSync(`/proc/${pid}/clear_refs`, '5')
