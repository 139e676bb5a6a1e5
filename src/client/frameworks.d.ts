/*
 * The parts of Vue and Svelte that `vue.ts` and `svelte.ts` use. They are declared again here, so that the package can
 * be built without these frameworks. The examples check the built package against the frameworks themselves.
 */

declare module 'vue' {
  interface ShallowRef<Value> {
    value: Value;
  }

  export type { ShallowRef };
  export type MaybeRefOrGetter<Value> = Value | { readonly value: Value } | (() => Value);
  export interface InjectionKey<Value> {
    readonly provided?: Value;
  }
  export function computed<Value>(getter: () => Value): { readonly value: Value };
  export function inject<Value>(key: InjectionKey<Value>, otherwise: Value): Value;
  export function onMounted(hook: () => void): void;
  export function provide<Value>(key: InjectionKey<Value>, value: Value): void;
  export function shallowRef<Value>(value: Value): ShallowRef<Value>;
  export function toValue<Value>(source: MaybeRefOrGetter<Value>): Value;
  export function watch<Value>(
    source: { readonly value: Value },
    callback: (value: Value, old: unknown, onCleanup: (cleanUp: () => void) => void) => void,
    options: { immediate: boolean },
  ): void;
}

declare module 'svelte' {
  export function getContext<Value>(key: unknown): Value;
  export function setContext<Value>(key: unknown, value: Value): Value;
}
