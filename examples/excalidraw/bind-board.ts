import { CaptureUpdateAction, reconcileElements } from '@excalidraw/excalidraw';
import type { Collaborator, ExcalidrawImperativeAPI, SocketId } from '@excalidraw/excalidraw/types';
import type { ConnectedEditor } from 'collaboration-client/editor';

type Elements = Parameters<Parameters<ExcalidrawImperativeAPI['onChange']>[0]>[0];
type Element = Elements[number];
type ReconcileParameters = Parameters<typeof reconcileElements>;

/**
 * Keeps a board's elements in a shared map by their ids, and shows the pointers of other users. Excalidraw itself
 * orders the elements, and decides between two versions of the same element.
 *
 * @returns a function that disconnects the board
 */
export function bindBoard(api: ExcalidrawImperativeAPI, editor: ConnectedEditor): () => void {
  const stored = editor.document.getMap<Element>('content');
  const { awareness } = editor.provider;

  const show = () => {
    const elements = reconcileElements(
      api.getSceneElementsIncludingDeleted() as ReconcileParameters[0],
      [...stored.values()] as unknown as ReconcileParameters[1],
      api.getAppState(),
    );
    api.updateScene({ elements, captureUpdate: CaptureUpdateAction.NEVER });
  };
  const store = (elements: Elements) => {
    const changed = elements.filter((element) => supersedes(element, stored.get(element.id)));
    if (changed.length === 0) return;
    editor.document.transact(() => {
      for (const element of changed) stored.set(element.id, { ...element });
    }, api);
  };
  const showPointers = () => {
    const collaborators = new Map<SocketId, Collaborator>();
    for (const [id, { user, pointer }] of awareness?.getStates() ?? []) {
      if (id === awareness?.clientID) continue;
      const color = { background: user?.color, stroke: user?.color };
      collaborators.set(`${id}` as SocketId, { username: user?.name, color, ...pointer });
    }
    api.updateScene({ collaborators });
  };

  const onStored = (_event: unknown, { origin }: { origin: unknown }) => origin !== api && show();
  stored.observe(onStored);
  awareness?.on('change', showPointers);
  const stopListening = api.onChange(store);
  show();
  return () => {
    stored.unobserve(onStored);
    awareness?.off('change', showPointers);
    stopListening();
  };
}

/** Whether Excalidraw prefers this version of an element. It also decides if two people changed it at the same time. */
function supersedes(element: Element, other: Element | undefined): boolean {
  if (element.version !== other?.version) return element.version > (other?.version ?? 0);
  return element.versionNonce < other.versionNonce;
}
