import type { Subscription } from 'nats'
import { type Announcements, type BrokerLog, notifySafely } from '../broker.ts'
import { type Link, toNatsFailure, type Up } from './link.ts'

const FLUSH_MS = 1000

/** Announcements over core NATS: nothing is stored, only those who listen now are notified. */
export function natsAnnouncements(link: Link, namespace: string, log: BrokerLog): Announcements {
  // A topic is any text; a subject must not contain spaces, dots and wildcards.
  const subjectOf = (topic: string) =>
    `${namespace}.announcements.${Buffer.from(topic).toString('base64url')}`
  return {
    async announce(topic, payload) {
      try {
        const { nc } = await link.up()
        nc.publish(subjectOf(topic), payload)
      } catch (error) {
        throw toNatsFailure(error, link.name)
      }
    },
    async listen(topic, handle, onGap) {
      const listener = new Listener(subjectOf(topic), notifySafely(topic, handle, log), onGap)
      const following = link.whenUp((up, again) => listener.follow(up, again))
      await listener.ready()
      return {
        async [Symbol.asyncDispose]() {
          following[Symbol.dispose]()
          listener.stop()
        },
      }
    },
  }
}

/** One subscription; the client renews it when it connects again, a new client needs a new one. */
class Listener {
  readonly #subject: string
  readonly #notify: (payload: string) => void
  readonly #onGap: (() => void) | undefined
  /** True when there was no connection to listen on. */
  #late = false
  #up: Up | undefined
  #subscription: Subscription | undefined

  constructor(subject: string, notify: (payload: string) => void, onGap: (() => void) | undefined) {
    this.#subject = subject
    this.#notify = notify
    this.#onGap = onGap
  }

  follow(up: Up, again: boolean): void {
    if (up.nc !== this.#up?.nc) {
      this.#subscription = up.nc.subscribe(this.#subject, {
        callback: (error, message) => {
          if (error === null) this.#notify(message.string())
        },
      })
    }
    const missed = again || (this.#up === undefined && this.#late)
    this.#up = up
    if (missed) this.#onGap?.()
  }

  /**
   * Waits until the server has taken the subscription; without a connection it is taken later, and a gap is reported.
   */
  async ready(): Promise<void> {
    const up = this.#up
    if (up === undefined) {
      this.#late = true
      return
    }
    const { promise: over, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, FLUSH_MS)
    await Promise.race([up.nc.flush(), over]).catch(() => undefined)
    clearTimeout(timer)
  }

  stop(): void {
    this.#subscription?.unsubscribe()
  }
}
