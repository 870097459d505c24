// Shows what becomes of a submission as soon as the run writes it.

const report = document.getElementById("report");
if (report) {
  const heading = (text) => text.split("\n")[0];
  const before = heading(report.textContent);
  new EventSource("/author/report").onmessage = ({ data }) => {
    const text = JSON.parse(data);
    if (!text) return;
    report.textContent = text;
    document.getElementById("news").hidden = heading(text) === before;
  };
}
