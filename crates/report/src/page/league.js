// Shows what becomes of a submission as soon as the run writes it.

const report = document.getElementById("report");
if (report) {
  const before = report.textContent.split("\n")[0];
  new EventSource("/author/report").onmessage = ({ data }) => {
    report.textContent = JSON.parse(data);
    document.getElementById("news").hidden = report.textContent.split("\n")[0] === before;
  };
}
