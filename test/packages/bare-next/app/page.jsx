export default function Page() {
  return (
    <main>
      <section className="collab collab-threads">
        <article className="collab-thread">
          <span className="collab-mention">@Ada</span>
          <button type="button" className="collab-quiet">
            Reply
          </button>
        </article>
        <form className="collab collab-composer">
          <textarea />
          <button type="button" className="collab-primary">
            Send
          </button>
        </form>
      </section>
    </main>
  );
}
