/** Places for those who wait, of which nobody gets so many that nothing is left for the others. */
export interface WaitingPlaces {
  /** @returns whether there was a place. Who got one gives it back by `leave`. */
  take(name: string): boolean
  leave(name: string): void
}

export function createWaitingPlaces(): WaitingPlaces {
  const taken = new Map<string, number>()
  let all = 0

  return {
    take(name) {
      const own = taken.get(name) ?? 0
      if (own >= placesOfOne || all >= places) return false
      taken.set(name, own + 1)
      all += 1
      return true
    },
    leave(name) {
      const own = taken.get(name) ?? 0
      if (own > 1) taken.set(name, own - 1)
      else taken.delete(name)
      all -= 1
    },
  }
}

const places = 1000

const placesOfOne = 50
